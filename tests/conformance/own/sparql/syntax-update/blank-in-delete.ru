PREFIX : <http://example.org/>
DELETE { ?x :p [ ] } WHERE { ?x :p ?y }
