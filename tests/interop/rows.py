"""The tests of one library: every stage for every client of it, from one play. `from rows import *`."""
import pytest

import results
from judge import (deaths_of, judge_discovered, judge_look, judge_standing, judge_status, judge_story,
                   judge_stream, unknown)
from stages import STAGES, Play
from waiting import until
from words import report_in_words, truth_in_words

LIMIT_S = 240


def holds(play, stage, seen):
    """Whether all that is said at this stage is right by now: what is not yet may still become so."""
    return not any(unknown(client, judge_standing(client, stage, seen, play.paths[client])) for client in play.claiming)


class Stages:
    """A subclass names the library's clients, and how its program is built."""
    clients, version = [], "unknown"
    stages = STAGES

    @staticmethod
    def build():
        raise NotImplementedError

    @pytest.fixture(scope="class")
    def play(self, request, zk):
        play = Play(zk, request.cls.build(), request.cls.clients, "/interop", request.cls.stages)
        play.told = set()
        yield play
        play.close()

    def test_stage(self, play, stage, row):
        client = row
        seen = play.reach(stage, lambda at, seen: holds(play, at, seen))
        path = play.paths[client] if client.claims else f"{play.root}/{client.slug}"
        found = judge_look(client, stage, seen, path) if client.claims else []
        found += judge_discovered(client, stage, seen, path)
        found += judge_stream(client, stage, seen, path, play.streams)
        story = self.story(play, client, path)
        found += [line for line in story if line not in play.told]
        play.told.update(story)
        results.add(client.system, self.version, stage, truth_in_words(client, seen),
                    report_in_words(client, seen, path), found)
        found = unknown(client, found)
        assert not found, "\n".join(found)

    def story(self, play, client, path):
        """Its complaints, once what is on its way has been told."""
        state = {"lies": []}

        def told():
            state["lies"] = judge_story(client, play, path, deaths_of(play))
            return not [line for line in state["lies"] if line not in play.told]
        try:
            until(told, 12)
        except AssertionError:
            pass
        return state["lies"]

    def test_status(self, play, stage):
        """With nothing wrong anywhere, `once --strict` says so by its exit code."""
        seen = play.reach(stage, lambda at, seen: holds(play, at, seen))
        found = list(judge_status(stage, seen))
        assert not found, "\n".join(found)
