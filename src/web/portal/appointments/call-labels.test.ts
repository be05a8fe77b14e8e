import { expect, test } from 'vitest';
import type { SeatOnPage, VisitCallPageView } from '#contract/visits.ts';
import {
  callEndMessage,
  lineQualityLabel,
  mergeStays,
  missedCallMessage,
  participantName,
  stayDetails,
} from './call-labels.ts';

const at = (time: string) => `2026-11-23T${time}:00.000Z`;
const seat = (side: SeatOnPage['side'], from: string, until: string | null, more: Partial<SeatOnPage> = {}) => ({
  ...{ side, name: side === 'staff' ? 'Rowan Example' : null, from: at(from), until: until && at(until) },
  ...{ devices: null, path: null, media: null, quality: null, worst_quality: null },
  ...more,
});
const call = (...seats: SeatOnPage[]): VisitCallPageView => ({
  ...{ id: 'v', patient_id: 'p', started_at: null, ended_at: null, ended_by: null },
  ...{ opens_at: at('08:45'), closes_at: at('10:30'), seats },
});

test('merges a reload into one stay and keeps what was known before it', () => {
  const stays = mergeStays([
    seat('patient', '08:50', '08:55', { path: 'relay', devices: 'ok', quality: 'good', worst_quality: 'broken' }),
    seat('staff', '08:54', null),
    seat('patient', '08:55', '09:05', { quality: 'thin', worst_quality: 'thin' }),
    seat('patient', '09:07', '09:08'),
    seat('patient', '09:20', null, { path: 'direct' }),
  ]);
  expect(stays.map(({ side, from, until, reconnects }) => [side, from, until, reconnects])).toEqual([
    ['patient', at('08:50'), at('09:08'), 2],
    ['staff', at('08:54'), null, 0],
    ['patient', at('09:20'), null, 0],
  ]);
  expect(stays[0]).toMatchObject({ path: 'relay', devices: 'ok', quality: 'thin', worst_quality: 'broken' });
});

test('counts a colleague who takes over as a separate stay', () => {
  const stays = mergeStays([seat('staff', '09:00', '09:05'), seat('staff', '09:05', null, { name: 'Alder Example' })]);
  expect(stays.map(participantName)).toEqual(['Rowan Example', 'Alder Example']);
  expect(participantName({ side: 'staff', name: null })).toBe('A former colleague');
  expect(participantName({ side: 'patient', name: null })).toBe('The patient');
});

test.each<[Partial<SeatOnPage>, string | undefined]>([
  [{}, undefined],
  [{ path: 'direct', quality: 'good', worst_quality: 'good' }, 'Good connection'],
  [{ path: 'relay', quality: 'good', worst_quality: 'thin' }, 'Weak connection at times'],
  [{ path: 'direct', quality: 'broken', worst_quality: 'broken' }, 'Bad connection'],
  [{ path: 'direct', quality: 'thin', worst_quality: 'broken' }, 'Bad connection at times'],
  [{ path: 'none', quality: 'good', worst_quality: 'good' }, 'No connection in the end'],
  [{ path: 'none', quality: 'good', worst_quality: 'good', until: null }, 'No connection now'],
])('describes the connection of %j as “%s”', (more, expected) => {
  expect(lineQualityLabel({ ...seat('patient', '09:00', '09:10', more), reconnects: 0 })?.[1]).toBe(expected);
});

test('describes the connection path without technical terms', () => {
  expect(stayDetails({ path: 'relay', reconnects: 1 })).toEqual([
    'came back once',
    'connected through a helper server',
  ]);
  expect(stayDetails({ path: 'direct', reconnects: 3 })).toEqual(['came back 3 times', 'connected directly']);
  expect(stayDetails({ path: 'none', reconnects: 0 })).toEqual([]);
});

test('says who ended the call once it is over', () => {
  expect(callEndMessage({ ended_by: null })).toBe('');
  expect(callEndMessage({ ended_by: 'staff' })).toBe('The clinic ended it.');
});

test('names the side that missed the appointment, based on its current time', () => {
  const patient = seat('patient', '09:00', '09:10');
  const staff = seat('staff', '09:00', '09:20');
  expect(missedCallMessage(call())).toBeNull();
  expect(missedCallMessage(call(patient))).toBe('The patient waited, but no one from the clinic came.');
  expect(missedCallMessage(call(staff))).toBe('The clinic was there, the patient did not come.');
  expect(missedCallMessage(call(patient, staff))).toMatch(/was not let in/);
  expect(missedCallMessage({ ...call(patient, staff), started_at: at('09:01') })).toBeNull();
  expect(missedCallMessage(call(seat('patient', '08:00', '08:30'), staff))).toMatch(/the patient did not come/);
});
