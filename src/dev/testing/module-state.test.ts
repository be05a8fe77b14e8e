import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

type Node = { type: string; [key: string]: unknown };

/** The kind and name of one piece of state in a file. */
type ModuleState = { what: string; name: string };

/** Created empty, these are filled later. */
const CONTAINERS = /^(Map|WeakMap|Set|WeakSet|LRUCache|AsyncLocalStorage)$/;
/** Functions with these names create stateful objects; tRPC's caller factory has no state. */
const MAKERS = /^(create(?!CallerFactory)|open|keep|start)[A-Z]/;
const CHANGING = /^(set|add|delete|clear|push|pop|shift|unshift|splice|fill)$/;
const FUNCTIONS = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const nameOf = (node: unknown): string => (node as { name?: string } | null)?.name ?? '';
const propertyOf = (node: Node): string =>
  nameOf(node.property) || String((node.property as { value?: unknown }).value ?? '');

/** Code in a function or instance property runs later. */
const isLater = (node: Node): boolean =>
  FUNCTIONS.test(node.type) || (node.type === 'PropertyDefinition' && node.static !== true);

/** Returns `holder` for `holder.a.b`, and an empty string for `f().a`. */
function rootOf(node: Node): string {
  let at = node;
  while (at.type === 'MemberExpression' || at.type === 'TSNonNullExpression') at = (at.object ?? at.expression) as Node;
  return at.type === 'Identifier' ? nameOf(at) : '';
}

/** Returns true when a container is created with its content: a lookup table, not a cache. */
const isFilled = (node: Node): boolean => nameOf(node.callee) !== 'LRUCache' && (node.arguments as Node[]).length > 0;

/**
 * Returns state that outlives every set of services: module variables and containers, objects created when the module
 * loads, changes to module constants, and properties of the process.
 */
function moduleStateOf(file: string, source: string): ModuleState[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const states: ModuleState[] = [];
  const constants = new Set<string>();
  for (const statement of (program as unknown as { body: Node[] }).body) {
    const declaration = (statement.declaration ?? statement) as Node;
    if (declaration.type !== 'VariableDeclaration' || declaration.declare) continue;
    for (const declared of declaration.declarations as Node[]) {
      constants.add(nameOf(declared.id));
      if (declaration.kind !== 'const') states.push({ what: 'a variable', name: nameOf(declared.id) });
    }
  }
  const visit = (node: Node, isLoading: boolean): void => {
    states.push(...stateOfNode(node, isLoading, constants));
    for (const child of childrenOf(node)) visit(child, isLoading && !isLater(child));
  };
  visit(program as unknown as Node, true);
  return states;
}

function stateOfNode(node: Node, isLoading: boolean, constants: Set<string>): ModuleState[] {
  switch (node.type) {
    case 'NewExpression':
      return isLoading && CONTAINERS.test(nameOf(node.callee)) && !isFilled(node)
        ? [{ what: 'a container', name: nameOf(node.callee) }]
        : [];
    case 'CallExpression': {
      const callee = node.callee as Node;
      if (isLoading && MAKERS.test(nameOf(callee))) return [{ what: 'something made', name: nameOf(callee) }];
      if (callee.type !== 'MemberExpression') return [];
      const [root, verb] = [rootOf(callee), propertyOf(callee)];
      if (root === 'Symbol' && verb === 'for') return [{ what: 'a symbol of the process', name: 'Symbol.for' }];
      return constants.has(root) && CHANGING.test(verb) ? [{ what: 'a change', name: root }] : [];
    }
    case 'AssignmentExpression':
    case 'UpdateExpression': {
      const target = (node.left ?? node.argument) as Node;
      if (target.type !== 'MemberExpression') return [];
      const isEnvironment = rootOf(target) === 'process' && nameOf((target.object as Node).property) === 'env';
      if (isEnvironment) return [{ what: 'the environment', name: propertyOf(target) }];
      return constants.has(rootOf(target)) ? [{ what: 'a change', name: rootOf(target) }] : [];
    }
    case 'Identifier':
      return /^global(This)?$/.test(nameOf(node)) ? [{ what: 'the process', name: nameOf(node) }] : [];
    default:
      return [];
  }
}

const root = path.resolve(import.meta.dirname, '../../..');

/** The only state that outlives the services, with the reason. */
const EXCEPTIONS: { file: string; state: string[]; because: string }[] = [
  {
    file: 'src/server/http/services.ts',
    state: ['the process globalThis', 'a change holder'],
    because: 'Next bundles pages and the proxy apart from the process, and they reach its services by this alone',
  },
  {
    file: 'src/server/http/auth-handler.ts',
    state: ['the environment NEXTAUTH_URL'],
    because: 'next-auth knows its own address from the environment only; set before each of its answers',
  },
  {
    file: 'src/main.ts',
    state: [
      'the environment NEXTAUTH_URL',
      'the environment NEXTAUTH_SECRET',
      'the environment NEXT_TELEMETRY_DISABLED',
    ],
    because: 'the same for what Next calls by itself; the process that is started has one set of services',
  },
  {
    file: 'src/server/core/zone.ts',
    state: ['a container Map', 'a change spans', 'a container Map', 'a change days'],
    because: 'what clocks show in a zone is a constant of the world; only what was asked for is worked out',
  },
  {
    file: 'src/server/core/db.ts',
    state: ['a container WeakMap', 'a change direct'],
    because: 'each open transaction knows its connection; an entry ends with its transaction',
  },
  {
    file: 'src/server/core/ids.ts',
    state: ['a variable newest'],
    because: 'ids of one millisecond follow each other (RFC 9562, 6.2) in a process; no answer depends on the last one',
  },
];

const files = ['src/server', 'src/jobs', 'src/app']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')),
  )
  .concat('src/main.ts', 'src/proxy.ts');

describe('modules that test files share', () => {
  it('are replaced by isolated tests only, because a module stays loaded for the files that follow', () => {
    const replacing = readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.isolated(\.db)?)\.test\.tsx?$/.test(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => !file.includes('node_modules') && /\bvi\.(do)?[mM]ock\(/.test(readFileSync(file, 'utf8')));
    expect(replacing).toEqual([]);
  });
});

describe('process-lifetime state', () => {
  it('is created by createServices: no module holds any, except with a reason', () => {
    const states = files.flatMap((file) =>
      moduleStateOf(file, readFileSync(path.join(root, file), 'utf8')).map(
        ({ what, name }) => `${file}: ${what} ${name}`,
      ),
    );
    const excepted = EXCEPTIONS.flatMap(({ file, state }) => state.map((one) => `${file}: ${one}`));
    expect([...new Set(states)].sort()).toEqual([...new Set(excepted)].sort());
  });

  it.each([
    ['let known = null;', 'a variable known'],
    ['export let known = null;', 'a variable known'],
    ['const memory = new Map<string, string>();', 'a container Map'],
    ['const memory = new LRUCache({ max: 1 });', 'a container LRUCache'],
    ['const memories = { of: new WeakMap() };', 'a container WeakMap'],
    ['const line = createLine({ abreast: 1 });', 'something made createLine'],
    ['const known: string[] = []; export const f = (x: string) => known.push(x);', 'a change known'],
    ['const holder = {} as { x?: string }; export function f() { holder.x ??= "1"; }', 'a change holder'],
    ['export const f = () => Symbol.for("budget");', 'a symbol of the process Symbol.for'],
    ['export function f(x: string) { process.env.X = x; }', 'the environment X'],
    ['export const f = () => globalThis;', 'the process globalThis'],
  ])('%s is detected', (source, seen) => {
    expect(moduleStateOf('src/server/a.ts', source).map(({ what, name }) => `${what} ${name}`)).toContain(seen);
  });

  it.each([
    "const ENDED = new Set(['canceled', 'expired']);",
    "const BY_NAME: ReadonlyMap<string, number> = new Map([['a', 1]]);",
    'export function createMemory() { const entries = new Map(); let n = 0; return () => entries.set("a", ++n); }',
    'export const make = () => ({ memory: new Map(), line: createLine() });',
  ])('%s is not module state', (source) => {
    expect(moduleStateOf('src/server/a.ts', source)).toEqual([]);
  });
});
