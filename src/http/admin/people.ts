import { z } from '@hono/zod-openapi';
import { addPerson, changePerson, listPeople, showPerson } from '../../application/admin/people';
import { groupName, newPerson, personChange } from '../../domain/access/bodies';
import { parseInput, readBody, type Api, type HttpDependencies } from '../context';
import { pageOf } from '../schemas';
import { adminRoute } from './route';
import { personSchema, personView } from './views';

const listQuery = z.object({
  group: groupName.optional(),
  active: z.enum(['true', 'false']).optional(),
  cursor: z.string().min(1).max(128).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

const routes = [
  adminRoute({
    method: 'get',
    path: '/people',
    operationId: 'listPeople',
    summary: 'People, services and agents, by id',
    query: listQuery,
    answer: pageOf(personSchema),
  }),
  adminRoute({
    method: 'post',
    path: '/people',
    operationId: 'addPerson',
    summary: 'Add a person, service or agent',
    body: newPerson,
    answer: personSchema,
    status: 201,
  }),
  adminRoute({
    method: 'get',
    path: '/people/{id}',
    operationId: 'showPerson',
    summary: 'One of them',
    answer: personSchema,
  }),
  adminRoute({
    method: 'patch',
    path: '/people/{id}',
    operationId: 'changePerson',
    summary: 'Change groups, limit, name or activity, from the version that was read; not of oneself',
    body: personChange,
    answer: personSchema,
  }),
];

export function peopleRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/admin/people', async (c) => {
    const { group, active, cursor, limit } = parseInput(listQuery, c.req.query());
    const { items, next } = await listPeople(dependencies, c.get('principal'), {
      limit,
      ...(cursor === undefined ? {} : { after: cursor }),
      ...(group === undefined ? {} : { group }),
      ...(active === undefined ? {} : { active: active === 'true' }),
    });
    return c.json({ items: items.map(personView), nextCursor: next });
  });

  api.post('/v1/admin/people', async (c) => {
    const body = await readBody(c, newPerson);
    return c.json(personView(await addPerson(dependencies, c.get('principal'), body)), 201);
  });

  api.get('/v1/admin/people/:id', async (c) =>
    c.json(personView(await showPerson(dependencies, c.get('principal'), c.req.param('id')))),
  );

  api.patch('/v1/admin/people/:id', async (c) => {
    const id = c.req.param('id');
    await showPerson(dependencies, c.get('principal'), id);
    const body = await readBody(c, personChange);
    return c.json(personView(await changePerson(dependencies, c.get('principal'), id, body)));
  });
}
