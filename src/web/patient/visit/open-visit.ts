import type { VisitView } from '#contract/visits.ts';
import { askLink } from '../../ui/links/ask-link.ts';

/** What the link's token opens. */
export const openVisit = (token: string): Promise<VisitView> => askLink('visits.open', token);
