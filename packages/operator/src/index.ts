// The recorder, and later the controllers and the doors.
export { Recorder, type RecorderOptions, type RecorderStatus } from './recorder/recorder.ts';
