PREFIX : <http://example.org/>
DELETE WHERE { ?x :p ?y . GRAPH ?g { ?x :q ?z } }
