import { vi } from 'vitest';

// Gives each suite modules of its own, although suites share a process.
vi.resetModules();
