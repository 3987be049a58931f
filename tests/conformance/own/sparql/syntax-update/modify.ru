PREFIX : <http://example.org/>
WITH :g DELETE { ?x :p ?y } INSERT { ?x :q ?y . GRAPH ?g { ?x :r [ ] } } USING :h USING NAMED :i WHERE { ?x :p ?y OPTIONAL { ?x :in ?g } FILTER(?y > 1) }
