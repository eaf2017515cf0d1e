"""Calls every tool, resource and prompt of `hearsay mcp` as a character and as the DM, with the official SDK."""

import asyncio
import os
import sys

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

PROGRAM, CAMPAIGN = sys.argv[1:3]
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


async def connect_with_latest_protocol(identity, use, **callbacks):
    """Uses the latest version of the protocol, in which a session starts without a handshake."""
    async with Client(server(identity), **callbacks) as client:
        await use(client)
    print(f"hearsay mcp --as {identity}: {use.__name__} works with the latest protocol")


async def connect(identity, use, **callbacks):
    async with server(identity) as (read, write), ClientSession(read, write, **callbacks) as session:
        await session.initialize()
        await use(session)
    print(f"hearsay mcp --as {identity}: {use.__name__} works")


async def main():
    await connect("mirela-voss", as_character)
    await connect("dm", as_dm)
    await connect("dm", as_dm_who_is_asked, elicitation_callback=answers_of_dm())
    await connect_with_latest_protocol("dm", as_dm_who_is_asked, elicitation_callback=answers_of_dm())


asyncio.run(asyncio.wait_for(main(), timeout=300))
