PREFIX : <http://example.org/>
INSERT DATA { :a :p 1 , "x"@en . GRAPH :g { _:b :q () } } ;
DELETE DATA { :a :p 1 . GRAPH :g { :a :q :c } }
