"""Calls every tool, resource and prompt as a character and as the DM, with the official SDK: first over standard input
and output (`hearsay mcp`), then over HTTP (`hearsay serve`)."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import asynccontextmanager

import httpx2
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

PROGRAM, CAMPAIGN, SERVED_CAMPAIGN = sys.argv[1:4]
CHARACTER_TOOLS = {"recall", "know_about", "how_do_i_know", "may_i_tell", "check_reply", "say"}
DM_TOOLS = {"search", "ask_as", "record", "review", "decide", "undo", "log"}


def check(condition, message):
    if not condition:
        sys.exit(f".ci/mcp: {message}")


async def call(client, tool, /, **arguments):
    """Calls a tool that must succeed. The SDK checks the result against the output schema."""
    result = await client.call_tool(tool, arguments)
    check(not result.is_error, f"{tool} {arguments} failed: {result.content}")
    check(result.structured_content is not None, f"{tool} returned no structured content")
    return result.structured_content


async def fail(client, tool, /, **arguments):
    """Calls a tool that must return an error, and returns its message."""
    result = await client.call_tool(tool, arguments)
    check(result.is_error, f"{tool} {arguments} did not fail")
    return result.content[0].text


async def list_all(session, tools, resources, prompts):
    listed = (await session.list_tools()).tools
    check({tool.name for tool in listed} == tools, f"the tools are {[tool.name for tool in listed]}")
    for tool in listed:
        check(tool.output_schema, f"{tool.name} has no output schema")
        check(tool.annotations and tool.annotations.read_only_hint is not None, f"{tool.name} has no annotations")
        check("knower" not in tool.input_schema["properties"], f"{tool.name} takes a knower")
    found = (await session.list_resources()).resources
    check({str(resource.uri) for resource in found} == resources, f"the resources are {found}")
    for resource in found:
        contents = (await session.read_resource(resource.uri)).contents
        check(contents[0].text.strip(), f"{resource.uri} is empty")
        await session.subscribe_resource(resource.uri)
    listed = (await session.list_prompts()).prompts
    check({prompt.name for prompt in listed} == prompts, f"the prompts are {listed}")


async def as_character(session):
    uris = {"hearsay://me", "hearsay://scene", "hearsay://recent"}
    await list_all(session, CHARACTER_TOOLS, uris, {"speak_as"})
    recalled = await call(session, "recall", question="Where is the harbour ledger?", listeners=["Odo Brandt"])
    texts = [line["text"] for line in recalled["lines"]]
    check(any("Drowned Chapel" in text for text in texts), f"Mirela does not recall the ledger: {texts}")
    facts = [line["fact"] for line in recalled["lines"] if line["fact"]]
    known = await call(session, "know_about", name="Odo Brandt")
    check(known["facts"], "Mirela knows nothing about Odo Brandt")
    for fact in facts[:5]:
        await call(session, "how_do_i_know", fact=fact)
        await call(session, "may_i_tell", fact=fact, listeners=["Odo Brandt"])
    checked = await call(session, "check_reply", reply="My cousin Bertha Quill has the ledger.", listeners=["Odo Brandt"])
    names = [row["words"] for row in checked["findings"] if row["kind"] == "unknown_name"]
    check(names == ["Bertha Quill"], f"the invented name is not found: {checked}")
    await call(session, "say", text="The tide is early today.", to=["Odo Brandt"])
    await call(session, "say", text="Good evening.")
    unknown = await fail(session, "know_about", name="zed-of-nowhere")
    check(unknown == "you know no character, place or thing called `zed-of-nowhere`", unknown)
    await fail(session, "recall", question="Who?", knower="odo-brandt")
    prompt = await session.get_prompt("speak_as", {"question": "Where is the ledger?", "listeners": "Odo Brandt"})
    check("Mirela" in prompt.messages[0].content.text, "the prompt does not name Mirela")


async def as_dm(session):
    await list_all(session, DM_TOOLS, {"hearsay://review", "hearsay://session"}, {"recap_player_safe"})
    found = await call(session, "search", text="ledger", limit=3)
    check(found["facts"], "the search finds no fact")
    await call(session, "ask_as", character="odo-brandt", question="Who is the Grey Lady?")
    await call(session, "record", sentence="Odo Brandt keeps a spare key under the doormat.")
    queue = await call(session, "review", limit=100)
    waiting = [fact for item in queue["items"] for fact in item["facts"] if "doormat" in fact["statement"]]
    check(waiting, "the recorded sentence does not wait for review")
    fact = waiting[0]["fact"]
    check("confirm" in await fail(session, "decide", facts=[fact], decision="accept"), "no confirmation was asked")
    written = await call(session, "decide", facts=[fact], decision="accept", confirm=True)
    await fail(session, "undo", operation=written["operation"])
    await call(session, "undo", operation=written["operation"], confirm=True)
    await call(session, "log", text="The lamps go out.", session="1")
    prompt = await session.get_prompt("recap_player_safe", {"words": "80"})
    check(prompt.messages[0].content.text.strip(), "the recap is empty")


async def as_dm_who_is_asked(session):
    """The client asks the DM to confirm. The DM confirms the first change and declines the second."""
    await call(session, "log", text="The lamps are lit again.", session="1")
    await call(session, "undo")
    await call(session, "log", text="A bell rings.", session="1")
    check("did not confirm" in await fail(session, "undo", confirm=True), "the DM was not asked")


def answers_of_dm():
    answers = iter([True, False])

    async def answer(context, params):
        return ElicitResult(action="accept", content={"confirm": next(answers)})

    return answer


def server(identity):
    return stdio_client(
        StdioServerParameters(command=PROGRAM, args=["mcp", CAMPAIGN, "--as", identity], env=dict(os.environ))
    )


class HttpServer:
    """A running `hearsay serve`, with a token for each identity."""

    def __init__(self, identities):
        self.environment = {**os.environ, "HEARSAY_CAMPAIGN": SERVED_CAMPAIGN}
        self.tokens = {identity: self.new_token(identity) for identity in identities}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % free.getsockname()[1]
        self.url = f"http://{address}"
        self.process = subprocess.Popen([PROGRAM, "serve", "--listen", address], env=self.environment)

    def new_token(self, identity):
        command = [PROGRAM, "serve", "token", "add", identity, "--json"]
        added = subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE)
        return json.loads(added.stdout)["token"]

    async def wait_until_ready(self):
        async with httpx2.AsyncClient() as client:
            for _ in range(600):
                check(self.process.poll() is None, "hearsay serve ended too early")
                try:
                    if (await client.get(f"{self.url}/health")).status_code == 200:
                        return
                except httpx2.TransportError:
                    pass
                await asyncio.sleep(0.1)
        check(False, "hearsay serve does not answer")

    @asynccontextmanager
    async def connect(self, identity):
        headers = {"Authorization": f"Bearer {self.tokens[identity]}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as client:
            async with streamable_http_client(f"{self.url}/mcp/{identity}", http_client=client) as streams:
                yield streams

    async def check_refusals(self):
        """A wrong token, the token of another identity and an unknown identity give the same answer."""
        answers = set()
        async with httpx2.AsyncClient() as client:
            for identity, token in [("dm", "0" * 64), ("dm", self.tokens["mirela-voss"]), ("nobody", self.tokens["dm"])]:
                headers = {"Authorization": f"Bearer {token}"}
                answer = await client.post(f"{self.url}/mcp/{identity}", json={}, headers=headers)
                answers.add((answer.status_code, answer.headers.get("WWW-Authenticate"), answer.content))
        check(len(answers) == 1 and answers.pop()[:2] == (401, "Bearer"), "a refusal differs from the others")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


async def use_with_latest_protocol(place, transport, use, **callbacks):
    """Uses the latest version of the protocol, in which a session starts without a handshake."""
    async with Client(transport, **callbacks) as client:
        await use(client)
    print(f"{place}: {use.__name__} works with the latest protocol")


async def use_session(place, transport, use, **callbacks):
    async with transport as (read, write), ClientSession(read, write, **callbacks) as session:
        await session.initialize()
        await use(session)
    print(f"{place}: {use.__name__} works")


async def use_all(place, connect):
    """Uses all identities of a server. `connect` returns a new connection for an identity."""
    await use_session(place, connect("mirela-voss"), as_character)
    await use_session(place, connect("dm"), as_dm)
    await use_session(place, connect("dm"), as_dm_who_is_asked, elicitation_callback=answers_of_dm())
    await use_with_latest_protocol(
        place, connect("dm"), as_dm_who_is_asked, elicitation_callback=answers_of_dm()
    )


async def main():
    await use_all("hearsay mcp", server)
    http_server = HttpServer(["mirela-voss", "dm"])
    try:
        await http_server.wait_until_ready()
        await http_server.check_refusals()
        await use_all("hearsay serve", http_server.connect)
    finally:
        http_server.stop()


asyncio.run(asyncio.wait_for(main(), timeout=600))
