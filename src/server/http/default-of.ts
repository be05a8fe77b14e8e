/** Node gives what a CommonJS package exports as a whole, a bundler the default that the package names in it. */
export const defaultOf = <Export>(imported: Export): Export => (imported as { default?: Export }).default ?? imported;
