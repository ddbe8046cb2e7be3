/** The program steward-publisher, as the runner of tests compiles programs. */
import "../../src/publisher/main.ts";
