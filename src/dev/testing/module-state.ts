import { parseSync } from 'oxc-parser';

type Node = { type: string; [key: string]: unknown };

/** The kind and name of one piece of state in a file. */
export type ModuleState = { what: string; name: string };

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
export function moduleStateOf(file: string, source: string): ModuleState[] {
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
