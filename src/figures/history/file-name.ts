/** The file of the history in the state directory; a directory with only this holds no state. */
export const historyFile = "history.bin";
