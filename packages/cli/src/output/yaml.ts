// YAML for people and programs that prefer it to JSON: the same document. Strings with anything in them that a
// terminal would obey are written in double quotes with escapes; parsing gives back exactly what was stored.
import { Document, visit } from 'yaml';
import { escapeControls } from './json.ts';
import { visible } from './visible.ts';

export function formatYaml(value: unknown): string {
  const document = new Document(JSON.parse(JSON.stringify(value)));
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && visible(node.value) !== node.value) node.type = 'QUOTE_DOUBLE';
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  // Controls that YAML leaves alone stand in double quotes only, where its escapes are those of JSON.
  return escapeControls(text);
}
