import { sha256 } from '@noble/hashes/sha2.js';
import { SRP_GROUP, type SrpSuite } from '../protocol/srp-suite.ts';

export const SUITE: SrpSuite = { ...SRP_GROUP, hash: sha256 };
