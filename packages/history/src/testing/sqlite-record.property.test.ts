import { recordProperties } from './properties/record-properties.ts';
import { sqliteSubject } from './sqlite-subject.ts';

recordProperties(sqliteSubject());
