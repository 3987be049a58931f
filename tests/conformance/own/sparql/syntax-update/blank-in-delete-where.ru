PREFIX : <http://example.org/>
DELETE WHERE { ?x :p _:b }
