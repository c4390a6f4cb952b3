// Which modules a TypeScript file names: imports, re-exports, dynamic imports, type imports. Called by
// scripts/check-layers.ts. A dynamic import whose specifier is computed cannot be judged and is not reported.
import { parseSync } from 'oxc-parser';

export interface ImportedModule {
  readonly specifier: string;
  /** Erased before it runs. `import { type X }` is not: with verbatimModuleSyntax the module is still loaded. */
  readonly typeOnly: boolean;
}

/** Throws a sentence when the file does not parse. */
export function readImports(path: string, source: string): ImportedModule[] {
  const { program, errors } = parseSync(path, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} does not parse: ${error.message}`);
  const found: ImportedModule[] = [];
  visit(program, found);
  return found;
}

function visit(node: unknown, found: ImportedModule[]): void {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, found);
    return;
  }
  if (!isNode(node)) return;
  const named = namedModule(node);
  if (named !== undefined) found.push(named);
  for (const child of Object.values(node)) visit(child, found);
}

interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

function namedModule(node: SyntaxNode): ImportedModule | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return module(node['source'], node['importKind'] === 'type');
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return module(node['source'], node['exportKind'] === 'type');
    case 'ImportExpression':
      return module(node['source'], false);
    case 'TSImportType':
      return module(node['source'], true);
    case 'TSExternalModuleReference':
      return module(node['expression'], false);
    default:
      return undefined;
  }
}

function module(source: unknown, typeOnly: boolean): ImportedModule | undefined {
  if (!isNode(source)) return undefined;
  if (source.type === 'Literal' && typeof source['value'] === 'string') return { specifier: source['value'], typeOnly };
  if (source.type !== 'TemplateLiteral') return undefined;
  const quasis = source['quasis'] as { value: { cooked: string } }[];
  const [only] = quasis;
  return quasis.length === 1 && only !== undefined ? { specifier: only.value.cooked, typeOnly } : undefined;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
