import { replayProperties } from './properties/replay-properties.ts';
import { sqliteSubject } from './sqlite-subject.ts';

replayProperties(sqliteSubject());
