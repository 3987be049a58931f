PREFIX : <http://example.org/>
INSERT DATA { :a :p _:b , [ :q 1 ] . GRAPH :g { :c :d ( 1 2 ) } :e :f "g"@en }
