PREFIX : <http://example.org/>
INSERT DATA { ?x :p 1 }
