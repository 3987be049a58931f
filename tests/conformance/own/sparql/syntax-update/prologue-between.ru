PREFIX a: <x:> INSERT DATA { a:a a:b a:c } ; PREFIX a: <y:> BASE <http://example.org/> INSERT DATA { a:a <b> a:c }
