PREFIX : <http://example.org/>
INSERT { ?x :q 1 } WHERE { ?x :p ?y }
