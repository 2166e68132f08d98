package session

// nonBlock has no meaning on Windows, where pipes have names of their own.
const nonBlock = 0
