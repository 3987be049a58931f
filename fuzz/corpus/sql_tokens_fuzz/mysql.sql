SELECT /*!50000 1 */ @@version, @a := 'x\'y', "text", 1e-5, 0x1F # end
