// Looks at what podtrail runs on.
import { type Finding, found } from './finding.ts';

const OLDEST_NODE = 24;
/** Older ones can lose committed data when a write-ahead log is reset. */
const OLDEST_SQLITE = [3, 51, 3] as const;

export function checkMachine(versions: Readonly<Record<string, string | undefined>>): Finding[] {
  const node = versions['node'] ?? '';
  const sqlite = versions['sqlite'] ?? '';
  return [
    Number(node.split('.')[0]) >= OLDEST_NODE
      ? found('Node', 'ok', node)
      : found(
          'Node',
          'failed',
          `${node} is older than ${OLDEST_NODE}`,
          'npm ci brings a newer one; start podtrail with npx.',
        ),
    isNewEnough(sqlite)
      ? found('SQLite', 'ok', sqlite)
      : found(
          'SQLite',
          'failed',
          `${sqlite || 'none'} is older than ${OLDEST_SQLITE.join('.')}`,
          'use a newer Node, which brings it.',
        ),
  ];
}

function isNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [i, least] of OLDEST_SQLITE.entries()) {
    const part = parts[i] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
