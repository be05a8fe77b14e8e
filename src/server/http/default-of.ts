/** Returns the default export of a CommonJS package: Node imports the whole module, a bundler only its default. */
export const defaultOf = <Export>(imported: Export): Export => (imported as { default?: Export }).default ?? imported;
