PREFIX : <http://example.org/>
INSERT { ?x :p/:q 1 } WHERE { ?x :p ?y }
