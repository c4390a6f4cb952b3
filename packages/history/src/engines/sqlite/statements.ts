// Statements whose rows are arrays, for reading many: an object for each row would cost more than the row. Whatever reads
// the head or a week prepares them here; nothing here runs one.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export function arrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
