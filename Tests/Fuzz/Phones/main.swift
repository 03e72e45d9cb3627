internal import Glibc
internal import PhoneNumbers
internal import Vocabulary

/// Reads the input as a telephone number, as it comes from clients. What is accepted must be its own form.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let number = try? DialledNumber(text) else { return 0 }
    guard let again = try? DialledNumber(number.number.rawValue) else {
        preconditionFailure("a number is refused in its own form")
    }
    precondition(again == number, "a number changed on its way")
    return 0
}

/// libFuzzer's own loop, which is part of the sanitizer's library (FuzzerDriver.cpp). It has no header; three plain C
/// values are passed the same way by Swift's convention.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runDriver(&count, &arguments, testOneInput))
