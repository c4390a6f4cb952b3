package netns

const sysSetns = 308
