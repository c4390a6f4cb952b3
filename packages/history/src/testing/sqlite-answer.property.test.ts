import { answerProperties } from './properties/answer-properties.ts';
import { sqliteSubject } from './sqlite-subject.ts';

answerProperties(sqliteSubject());
