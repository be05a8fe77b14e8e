import type { VisitView } from '#contract/visits.ts';
import { askLink } from '../../ui/links/ask-link.ts';

/** Opens the link of a video appointment. */
export const openVisit = (token: string): Promise<VisitView> => askLink('visits.open', token);
