"""Sign-in and sign-up with a phone number, without script.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Pages
"""

from tab import HOME
from test_sign_in import LOGIN, REGISTER, START, sign_out


def give_code(visitor, page, code):
    visitor.left = None
    return visitor.send(page, f"{LOGIN}/phone-code", code=code)


def test_number_signs_up_and_in(visitor, phones):
    number = phones.number()
    register, = [link for link in visitor.open(START).links if link.startswith(REGISTER)]
    step, = [link for link in visitor.open(register).links if "step=phone" in link]
    page = visitor.send(visitor.open(step), f"{LOGIN}/phone", number="555 0101")
    assert page.status == 400 and "with its country code" in page.text
    page = visitor.send(page, f"{LOGIN}/phone", number=number)
    page = visitor.send(page, f"{LOGIN}/phone")  # Another code.
    page = give_code(visitor, page, "000000")
    assert page.status == 400 and "That is not the code." in page.text
    give_code(visitor, page, phones.code(number))
    assert visitor.left == HOME and number in visitor.open(START).text
    sign_out(visitor)
    page = visitor.send(visitor.open(f"{START}&prompt=login"), LOGIN, email=number)
    give_code(visitor, page, phones.code(number))
    assert visitor.left == HOME


def test_known_and_unknown_numbers_look_alike(visitor, service, phones):
    known, unknown = phones.number(), phones.number()
    session = service.call("v1/accounts:sendVerificationCode", phoneNumber=known)["sessionInfo"]
    service.call("v1/accounts:signInWithPhoneNumber", sessionInfo=session, code=phones.code(known))
    texts = []
    for number in [known, unknown]:
        page = visitor.send(visitor.open(f"{START}&prompt=login"), LOGIN, email=number)
        wrong = give_code(visitor, page, "000000")
        texts.append([page.status, page.text.replace(number, ""), wrong.status, wrong.text.replace(number, "")])
    assert texts[0] == texts[1]


def test_field_takes_an_address_or_a_number(visitor, phones):
    page = visitor.open(START)
    assert "E-mail address or phone number" in page.text
    page = visitor.send(page, LOGIN, email="ada")
    assert page.status == 400 and "or a number with its country code" in page.text
    page = visitor.send(page, LOGIN, email="ada@example.com")
    assert page.form(f"{LOGIN}/password")
