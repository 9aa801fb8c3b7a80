# Two logs of one harness, with the answers and what two scorers said of them.
{
    echo id,input,gold,prediction,exact,judge
    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        echo $n,what is $n,$n,$((n - n % 3)),$((n % 3 == 0)),$((n % 4 == 0))
    done
} > log.csv
judica import log.csv --as table --item id --subject m --metric exact,judge --run monday
judica export monday --format inspect --out monday.eval
cp monday.eval today.eval
rm -r monday
judica import monday.eval --run monday
printf '%s\n' question,turn,model,acc,latency 1,1,gpt4,1,5 1,1,llama3,0,3 1,2,gpt4,1,6 \
    1,2,llama3,1,2 > scores.csv
