// The titles of the tests in one of our files: the first argument of `test(…)` and `it(…)`, also of `.skip` and the
// like. A template literal stands for every title that its placeholders could give. Called by check-conformance.ts.
import { parseSync } from 'oxc-parser';

export interface TestTitle {
  readonly text: string;
  matches(title: string): boolean;
}

/** Throws a sentence when the file does not parse. */
export function testTitles(path: string, source: string): TestTitle[] {
  const { program, errors } = parseSync(path, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} does not parse: ${error.message}`);
  const found: TestTitle[] = [];
  visit(program, found);
  return found;
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string };

function visit(node: unknown, found: TestTitle[]): void {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, found);
    return;
  }
  if (!isNode(node)) return;
  if (node.type === 'CallExpression' && isTestFunction(node['callee'])) {
    const title = titleOf((node['arguments'] as unknown[])[0]);
    if (title !== undefined) found.push(title);
  }
  for (const child of Object.values(node)) visit(child, found);
}

function isTestFunction(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  if (callee.type === 'MemberExpression') return isTestFunction(callee['object']);
  return callee.type === 'Identifier' && (callee['name'] === 'test' || callee['name'] === 'it');
}

function titleOf(argument: unknown): TestTitle | undefined {
  if (!isNode(argument)) return undefined;
  if (argument.type === 'Literal' && typeof argument['value'] === 'string') {
    const text = argument['value'];
    return { text, matches: (title) => title === text };
  }
  if (argument.type !== 'TemplateLiteral') return undefined;
  const parts = (argument['quasis'] as { value: { cooked: string } }[]).map((quasi) => quasi.value.cooked);
  const pattern = new RegExp(`^${parts.map(RegExp.escape).join('.+')}$`, 's');
  return { text: parts.join('…'), matches: (title) => pattern.test(title) };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
