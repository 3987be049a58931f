PREFIX : <http://example.org/a> INSERT DATA { :x :p :y } ; PREFIX : <http://example.org/b> BASE <http://example.net/> INSERT DATA { :x <p> <y> }
