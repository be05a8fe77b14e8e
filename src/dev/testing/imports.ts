import path from 'node:path';
import { parseSync } from 'oxc-parser';

export type Import = {
  /** The specifier as written. */
  specifier: string;
  /** Path from the project root, or null for a package. */
  target: string | null;
  /** The imported names, `*` for the whole module. */
  names: string[];
  typeOnly: boolean;
};

const ALL_NAMES = '*';
type Node = { type: string; [key: string]: unknown };

/** Returns all imports of a source file: static, re-exported, dynamic, `require` and `import('…').Type`. */
export function importsOf(file: string, source: string): Import[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const waiting = [program as unknown as Node];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const imported = readImport(node);
    if (imported) imports.push({ ...imported, target: targetOf(file, imported.specifier) });
    pushChildren(node, waiting);
  }
  return imports;
}

function pushChildren(node: Node, onto: Node[]): void {
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const one of value) if (isNode(one)) onto.push(one);
    } else if (isNode(value)) onto.push(value);
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function readImport(node: Node): Omit<Import, 'target'> | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration': {
      if (!node.source) return null;
      const specifiers = (node.specifiers ?? []) as Node[];
      const kinds = [node.importKind ?? node.exportKind, ...specifiers.map((s) => s.importKind ?? s.exportKind)];
      const typeOnly = kinds[0] === 'type' || (kinds.length > 1 && kinds.slice(1).every((kind) => kind === 'type'));
      return { specifier: literal(node.source), names: specifiers.map(nameOf), typeOnly };
    }
    case 'ImportExpression':
      return { specifier: literal(node.source), names: [ALL_NAMES], typeOnly: false };
    case 'TSImportType':
      return { specifier: literal(node.source), names: [ALL_NAMES], typeOnly: true };
    case 'TSExternalModuleReference':
      return { specifier: literal(node.expression), names: [ALL_NAMES], typeOnly: false };
    case 'CallExpression': {
      const [argument] = node.arguments as Node[];
      const isRequire = (node.callee as Node).name === 'require' && argument;
      return isRequire ? { specifier: literal(argument), names: [ALL_NAMES], typeOnly: false } : null;
    }
    default:
      return null;
  }
}

const nameOf = (specifier: Node): string =>
  String(((specifier.imported ?? specifier.local) as { name?: string } | undefined)?.name ?? ALL_NAMES);

/** A computed specifier cannot be checked, so it is reported as one that no rule allows. */
export const COMPUTED = '(computed)';

function literal(node: unknown): string {
  const { type, value, literal: inner } = node as { type?: string; value?: unknown; literal?: unknown };
  if (type === 'TSLiteralType') return literal(inner);
  return typeof value === 'string' ? value : COMPUTED;
}

function targetOf(file: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  if (specifier.startsWith('#')) return path.posix.join('src', specifier.slice(1));
  if (specifier.startsWith('@carelane/auth-sdk')) return 'src/sdk/index.ts';
  if (specifier.startsWith('@carelane/client')) return 'src/client/index.ts';
  return null;
}

/**
 * Returns the import cycles: groups of files that all import each other, directly or indirectly (Tarjan's algorithm).
 */
export function cyclesOf(targets: Map<string, string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1 || targets.get(file)?.includes(file)) cycles.push(group.sort());
  };
  for (const file of targets.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

/** Returns a file and all files that it imports, directly or indirectly, through files for which `counts` is true. */
export function readFrom(start: string, targets: Map<string, string[]>, counts: (file: string) => boolean): string[] {
  const reached = new Set([start]);
  for (const file of reached) for (const target of targets.get(file) ?? []) if (counts(target)) reached.add(target);
  return [...reached];
}
