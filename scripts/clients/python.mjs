import { nameIn } from './methods-of.mjs'
import { docstring, HEAD, KEYWORDS, modelsFile, paramsFile, reached, typeOf, union } from './python-types.mjs'
import { streamName } from './typescript.mjs'

/** @typedef {import('./methods-of.mjs').Method} Method @typedef {import('./methods-of.mjs').Schema} Schema */

/**
 * Returns the generated files of the Python client, by name.
 * @param {Method[]} methods @param {any} document @returns {Record<string, string>}
 */
export function pythonFiles(methods, document) {
  const schemas = document.components.schemas
  const given = reached(
    methods.flatMap(({ body, query, params }) => [body, ...query, ...params]),
    schemas,
  )
  const replied = reached(
    methods.flatMap(({ reply, otherwise }) => [reply, otherwise]),
    schemas,
  )
  return {
    'models.py': modelsFile(schemas, replied),
    'params.py': paramsFile(schemas, given),
    'table.py': tableFile(methods),
    'methods.py': methodsFile(methods, false),
    'async_methods.py': methodsFile(methods, true),
  }
}

/** @param {string} name */
function snake(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** @param {string} name */
function argument(name) {
  return KEYWORDS.includes(name) ? `${name}_` : name
}

/** @param {Method[]} methods */
function tableFile(methods) {
  const rows = methods.map((method) => {
    const { id, verb, path, retry, isOpen, isContent, isInside, query, body, isFile, form, page, lines } = method
    const isBoth = query.length > 0 && (body || isFile)
    const traits = [
      `retry="${retry}"`,
      isOpen ? 'is_open=True' : '',
      isContent ? 'is_content=True' : '',
      isInside ? 'is_inside=True' : '',
      isFile ? 'body="content"' : body ? 'body="json"' : '',
      isBoth ? `query=(${query.map(({ name }) => `"${name}",`).join(' ')})` : '',
      page ? `rows="${page.field}"` : '',
      lines ? `lines="${lines.name}"` : '',
      form === 'text' || form === 'bytes' ? 'is_text=True' : '',
    ].filter(Boolean)
    return `    "${snake(id)}": Row("${verb}", "${path}", ${traits.join(', ')}),\n`
  })
  return `${HEAD}from .._request import Row

TABLE = {
${rows.join('')}}
`
}

/** @param {Method[]} methods @param {boolean} isAsync */
function methodsFile(methods, isAsync) {
  const base = isAsync ? 'AsyncCaller' : 'Caller'
  const paged = isAsync ? 'AsyncPaged' : 'Paged'
  const streamType = isAsync ? 'AsyncAnswerStream' : 'AnswerStream'
  const texts = methods.map((method) => methodText(method, { isAsync, paged, streamType }))
  return `${HEAD}from __future__ import annotations

from collections.abc import ${isAsync ? 'AsyncIterator' : 'Iterator'}, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from .._${isAsync ? 'async_' : ''}caller import ${base}, ${paged}, ${streamType}
from .._content import ${isAsync ? 'AsyncContent' : 'Content'}, ${isAsync ? 'AsyncSeveral' : 'Several'}
from .._request import OMITTED, CallOptions, Omitted
from . import models, params
from .table import TABLE


class ${isAsync ? 'AsyncMethods' : 'Methods'}(${base}):
    """Every operation of the API, under its id."""
${texts.join('')}`
}

/** @param {Method} method @param {{ isAsync: boolean, paged: string, streamType: string }} kind */
function methodText(method, { isAsync, paged, streamType }) {
  const { id, summary, form, page, isStreamed, reply } = method
  const name = snake(id)
  const fields = fieldsOf(method, isAsync)
  const needed = fields.filter((field) => field.isNeeded)
  const free = fields.filter((field) => !field.isNeeded)
  const signature = [
    ...needed.map(({ shown, type }) => `${shown}: ${type}`),
    ...free.map(({ shown, type }) => `${shown}: ${type} | Omitted = OMITTED`),
    'options: CallOptions | None = None',
  ]
  const asked = `{${fields.map(({ name: wire, shown }) => `"${wire}": ${shown}`).join(', ')}}`
  const head = (/** @type {string} */ called, /** @type {string} */ result, /** @type {string} */ keyword) => {
    const lines = signature.map((each) => `        ${each},\n`).join('')
    const first = `\n    ${keyword} ${called}(\n        self,\n        *,\n${lines}    ) -> ${result}:\n`
    return `${first}${docstring(summary, '        ')}`
  }
  const row = `TABLE["${name}"]`
  const parts = []
  if (page) {
    const types = `${modelOf(reply)}, ${modelOf(page.item)}`
    const body = `        return self._paged(${row}, ${asked}, ${modelOf(reply)}, options)\n`
    parts.push(`${head(name, `${paged}[${types}]`, 'def')}${body}`)
  } else if (form === 'lines') {
    const result = `${isAsync ? 'AsyncIterator' : 'Iterator'}[dict[str, Any]]`
    parts.push(`${head(name, result, 'def')}        return self._lines(${row}, ${asked}, options)\n`)
  } else {
    const result = resultOf(method)
    const call = `self._call(${row}, ${asked}, ${shapesOf(method)}, options)`
    const keyword = isAsync ? 'async def' : 'def'
    parts.push(`${head(name, result, keyword)}        return ${isAsync ? 'await ' : ''}${call}\n`)
  }
  if (isStreamed) {
    const model = modelOf(reply)
    const body = `        return self._stream(${row}, ${asked}, ${model}, options)\n`
    parts.push(`${head(snake(streamName(id)), `${streamType}[${model}]`, 'def')}${body}`)
  }
  return parts.join('')
}

/** @param {Schema | undefined} schema */
function modelOf(schema) {
  const name = schema && nameIn(schema)
  return name ? `models.${name === 'Error' ? 'ErrorBody' : name}` : replyTypeOf(schema)
}

/** @param {Schema | undefined} schema */
function replyTypeOf(schema) {
  const way = {
    isReply: true,
    refer: (/** @type {string} */ name) => `models.${name}`,
    named: () => 'dict[str, Any]',
  }
  return schema ? typeOf(schema, way) : 'None'
}

/** @param {Method} method */
function resultOf({ form, reply, otherwise }) {
  if (form === 'text') return 'str'
  if (form === 'bytes') return 'bytes'
  return union(
    [reply, otherwise]
      .filter((each) => each !== undefined)
      .map(modelOf)
      .concat(reply ? [] : ['None']),
  )
}

/** Returns the type of a reply, by status if there are several. @param {Method} method */
function shapesOf({ form, reply, otherwise, otherwiseStatus }) {
  if (form === 'text') return 'str'
  if (form === 'bytes') return 'bytes'
  const main = reply ? modelOf(reply) : 'None'
  return otherwise ? `{${otherwiseStatus}: ${modelOf(otherwise)}, 0: ${main}}` : main
}

/**
 * Returns the parameters of a method, by name.
 * @param {Method} method @param {boolean} isAsync
 */
function fieldsOf(method, isAsync) {
  const { id, params, query, body, lines, isFile, isInside } = method
  const way = {
    isReply: false,
    refer: (/** @type {string} */ name) => `params.${name}`,
    named: () => 'Mapping[str, Any]',
  }
  const all = [
    ...params.map(({ name, schema }) => ({ name, schema, isNeeded: !(isInside && name === 'sandbox_id') })),
    ...query.map(({ name, schema, required }) => ({ name, schema, isNeeded: required })),
    ...(isFile || lines
      ? []
      : Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
          name,
          schema,
          isNeeded: (body?.required ?? []).includes(name) && !(id === 'createSandbox' && name === 'owner_id'),
        }))),
  ].map(({ name, schema, isNeeded }) => ({ name, shown: argument(name), type: typeOf(schema, way), isNeeded }))
  const prefix = isAsync ? 'Async' : ''
  if (isFile) {
    all.push({ name: 'content', shown: 'content', type: `${prefix}Content`, isNeeded: true })
    all.push({ name: 'content_type', shown: 'content_type', type: 'str', isNeeded: false })
  }
  if (lines) {
    const type = `${prefix}Several[${typeOf(lines.item, way)}]`
    all.push({ name: lines.name, shown: lines.name, type, isNeeded: true })
  }
  return all
}
