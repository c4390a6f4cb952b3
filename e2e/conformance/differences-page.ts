// packages/sandbox/DIFFERENCES.md as it must read: the accepted differences for people who use the sandbox.
import type { AcceptedDifference } from './accepted-differences.ts';

export const DIFFERENCES_PAGE = new URL('../../packages/sandbox/DIFFERENCES.md', import.meta.url);

export function renderDifferences(accepted: readonly AcceptedDifference[]): string {
  return `# Where the sandbox differs from a real API server

The conformance suite (\`e2e/conformance\`, \`npm run conformance\`) runs the same cases on the sandbox and on a real kube-apiserver. These cases differ, knowingly; each is one entry of \`e2e/conformance/accepted-differences.ts\`, and a test holds both to each other and to what the sandbox does.

| what a real server does | why the sandbox does not |
|---|---|
${accepted.map(({ case: name, reason }) => `| ${name} | ${reason} |`).join('\n')}
`;
}
