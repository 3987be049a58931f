PREFIX : <http://example.org/>
DELETE { ?x :p 1 }
