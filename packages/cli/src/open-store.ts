// Stores, apart from the rest so that a command that opens none does not wait for their code. Imported when the first is
// opened.
export { openStore, planMigration } from '@podtrail/history';
