INSERT DATA { ?s :p 1 } ; DELETE DATA { _:b :p 1 } ; SELECT * { ?s ?p ?o }
