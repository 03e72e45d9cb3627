"""Phone numbers on the account page, without script: for sign-in, and as the second step.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Pages
"""

import re

from test_account import ACCOUNT, QUERY, email, open_page  # noqa: F401
from test_sign_in import LOGIN, address, give_password, links, sign_up


def give_number(visitor, phones, name, number):
    page = visitor.send(open_page(visitor, name), ACCOUNT + name, number=number)
    assert f"We sent it to {number}." in page.text
    wrong = visitor.send(page, f"{ACCOUNT}{name}-code", code="000000")
    assert wrong.status == 400 and "That is not the code." in wrong.text
    return wrong


def test_number_is_added_changed_and_removed(visitor, phones, email):  # noqa: F811
    first, second = phones.number(), phones.number()
    page = visitor.send(open_page(visitor, "/phone"), ACCOUNT + "/phone", number="202 555")
    assert page.status == 400 and "its country code" in page.text
    for number in [first, second]:
        page = give_number(visitor, phones, "/phone", number)
        page = visitor.send(page, ACCOUNT + "/phone-code", code=phones.code(number))
        assert "Your changes are saved." in page.text and number in page.text
    other = type(visitor)(visitor.origin)
    sign_up(other, address())
    page = give_number(other, phones, "/phone", second)
    page = other.send(page, ACCOUNT + "/phone-code", code=phones.code(second))
    assert page.status == 400 and "belongs to another account" in page.text
    remove, = [link for link in open_page(visitor).links if "kind=phone" in link]
    page = visitor.send(visitor.open(remove), ACCOUNT + "/remove")
    assert "It has been removed." in page.text and second not in page.text


def test_text_messages_are_the_second_step(visitor, service, phones, email):  # noqa: F811
    number = phones.number()
    page = visitor.send(open_page(visitor, "/text-messages"), ACCOUNT + "/text-messages", number=number)
    assert "Confirm your e-mail address first" in page.text
    service.call("v1/accounts:update", oobCode=links(service, email)[-1]["oobCode"])
    give_password(visitor, email)
    page = give_number(visitor, phones, "/text-messages", number)
    page = visitor.send(page, ACCOUNT + "/text-messages-code", code=phones.code(number), name="Old phone")
    assert "You get ten new codes." in page.text
    page = open_page(visitor, "/security")
    assert "Old phone (+*******" in page.text
    rename, = [link for link in page.links if "/factor-name" in link]
    page = visitor.send(visitor.open(rename), ACCOUNT + "/factor-name", name="New phone")
    assert "New phone (+*******" in page.text
    page = give_password(visitor, email)
    page = visitor.send(page, f"{LOGIN}/factor", page.form(f"{LOGIN}/factor")["buttons"])
    assert re.search(r"\*{7}\d{4}", page.text)
    visitor.left = None
    visitor.send(page, f"{LOGIN}/code", code=phones.code(number))
    assert visitor.left and visitor.open(ACCOUNT + QUERY).status == 200
