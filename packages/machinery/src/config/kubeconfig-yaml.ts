// YAML (or JSON) text to a plain tree, with kubectl's habits: the first document only, the last of two equal keys.
// Called by kubeconfig-file.ts. Errors give the line, never its text: it may hold a secret.
import { type ErrorCode, LineCounter, parseAllDocuments, type YAMLError } from 'yaml';
import { ConfigError } from '../errors.ts';

/** An empty file is an empty mapping. */
export function parseKubeconfigYaml(text: string, file: string): unknown {
  const lines = new LineCounter();
  // Pretty errors would put the offending line, with whatever secret is on it, into the message.
  const documents = parseAllDocuments(text, {
    prettyErrors: false,
    lineCounter: lines,
    merge: true,
    // kubectl lets the last of two equal keys win.
    uniqueKeys: false,
    logLevel: 'silent',
  });
  // Like kubectl: only the first document counts.
  const first = Array.isArray(documents) ? documents[0] : undefined;
  if (first === undefined) return {};
  const [problem] = first.errors;
  if (problem !== undefined) throw yamlProblem(file, problem, lines);
  try {
    return first.toJS({ maxAliasCount: 100 }) ?? {};
  } catch {
    throw new ConfigError('config-yaml', `${file} is not usable YAML: its aliases cannot be resolved`, {
      hint: 'Write the entries out instead of using & and *.',
    });
  }
}

const YAML_FAULTS: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: 'bad indentation',
  TAB_AS_INDENT: 'a tab where spaces must indent',
  MISSING_CHAR: 'a missing quote, bracket or colon',
  UNEXPECTED_TOKEN: 'something unexpected',
  MULTILINE_IMPLICIT_KEY: 'a key that runs over two lines (is a colon missing?)',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping where a single value belongs',
  BAD_SCALAR_START: 'a value that starts with a reserved character (quote it)',
  BAD_ALIAS: 'an alias without an anchor',
};

function yamlProblem(file: string, problem: YAMLError, lines: LineCounter): ConfigError {
  const { line, col } = lines.linePos(problem.pos[0]);
  const fault = YAML_FAULTS[problem.code] ?? 'a syntax error';
  return new ConfigError('config-yaml', `${file} is not valid YAML: ${fault} at line ${line}, column ${col}`, {
    hint: 'Look at that line and the one above it; kubeconfigs are indented with two spaces.',
  });
}
