package declared

// nonblock is not needed where the file system has no pipes.
const nonblock = 0
