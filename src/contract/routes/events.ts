import { z } from 'zod';
import { EventIdInput, EventView, ListEventsInput } from '../events.ts';
import type { Route } from './route.ts';

const tag = { tag: 'Events' };

export const EVENT_ROUTES: Route[] = [
  {
    ...tag,
    method: 'GET',
    path: '/events',
    procedure: 'events.list',
    summary: 'List events, oldest first, by sequence; optionally waits for new ones',
    input: ListEventsInput,
    output: z.array(EventView),
    list: 'feed',
    scope: 'events:read',
    patient: false,
  },
  {
    ...tag,
    method: 'GET',
    path: '/events/{id}',
    procedure: 'events.get',
    summary: 'Get an event',
    input: EventIdInput,
    output: EventView,
    scope: 'events:read',
    patient: false,
  },
];
