PREFIX : <http://example.org/>
INSERT DATA { GRAPH :g { GRAPH :h { :a :p 1 } } }
