PREFIX : <http://example.org/>
WITH :g DELETE { ?s :p ?o } INSERT { ?s :q ?o . GRAPH ?g { ?s :r [] } } USING :h USING NAMED :g WHERE { ?s :p ?o GRAPH ?g { ?s ?p ?x } FILTER(?o > 1) }
