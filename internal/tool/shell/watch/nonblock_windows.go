package watch

const openNonblock = 0
