PREFIX : <http://example.org/>
DELETE WHERE { ?x :p ?y FILTER(?y > 1) }
