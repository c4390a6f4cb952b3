package netns

const sysSetns = 268
