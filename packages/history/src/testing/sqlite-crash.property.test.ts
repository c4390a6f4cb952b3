import { crashProperties } from './properties/crash-properties.ts';
import { sqliteSubject } from './sqlite-subject.ts';

crashProperties(sqliteSubject());
